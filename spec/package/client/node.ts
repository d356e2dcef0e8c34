// What a client in Node can do beside the methods: write files.
export { type DownloadOptions, type DownloadProgress, downloadBundle } from './download.ts'
export { type ExportedSite, type ExportProgress, type ExportSiteOptions, exportSite } from './export-site.ts'
