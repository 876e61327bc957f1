import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The machine's own browser; undefined where there is none. */
export const browserProgram = browsers.find(existsSync)

/** Headless, without the traffic that a browser makes by itself. */
export async function startBrowser(): Promise<Browser & AsyncDisposable> {
  return chromium.launch({
    ...(browserProgram !== undefined && { executablePath: browserProgram }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
