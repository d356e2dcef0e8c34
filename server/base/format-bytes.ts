/** Formats a number of bytes for messages, such as 1.5 MB. */
export function describeBytes(bytes: number): string {
  const megabytes = bytes / 1024 ** 2
  if (megabytes < 1) return `${Math.round(bytes / 1024)} KB`
  return `${megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes)} MB`
}
