/** Opens pages in headless Chromium, and notes what it complains about and asks for. */

import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const PLACES = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const PROGRAM = PLACES.find((path) => path !== '' && existsSync(path));

export interface OpenPage {
  readonly page: Page;
  /** What the browser has complained about. */
  readonly complaints: readonly string[];
  /** What was asked for, the page itself included. */
  readonly requests: readonly string[];
}

export class PageOpener {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Skips what `context` is of, with a message, where there is no Chromium. */
  static async start(context: { skip(): never }): Promise<PageOpener> {
    if (PROGRAM === undefined) {
      console.log('      skipped: no Chromium in /usr/bin; apt-get install chromium, or name one in CHROMIUM');
      context.skip();
    }
    return new PageOpener(await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] }));
  }

  async open(file: string): Promise<OpenPage> {
    const page = await this.#browser.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return { page, complaints, requests };
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
