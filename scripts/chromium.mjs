import { existsSync } from 'node:fs';

/** The headless shell first: it has the same engine, and starts and draws with less work. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Chromium's executable, CHROMIUM_PATH before all others; undefined where there is none. */
export function findChromium() {
  return [process.env.CHROMIUM_PATH, ...PATHS].find((path) => path && existsSync(path));
}
