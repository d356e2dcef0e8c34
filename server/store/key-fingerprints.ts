import { createHmac } from 'node:crypto'

// Servers compare their keys by these. They identify a key without giving it away.

export function fingerprintLinkKey(key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('quire link key').digest()
}

export function fingerprintVisitorKey(key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('fingerprint').digest().subarray(0, 8)
}

export function fingerprintWebhookKey(key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('quire webhook key').digest().subarray(0, 8)
}
