import { confirmForms } from './confirm-forms.ts'
import { drawCharts } from './draw-charts.ts'
import { enableCopying } from './enable-copying.ts'
import { forgetNotice } from './forget-notice.ts'
import { rememberLiveParts, renewLiveParts } from './renew-live-parts.ts'
import { runCountdowns, writeLocalTimes } from './write-local-times.ts'

/** Runs in each page of the dashboard. Everything also works without it, but for copying and the charts. */
export default function runDashboard(): void {
  rememberLiveParts()
  forgetNotice()
  writeLocalTimes(document)
  enableCopying(document)
  confirmForms()
  drawCharts()
  runCountdowns()
  renewLiveParts(part => {
    writeLocalTimes(part)
    enableCopying(part)
  })
}
