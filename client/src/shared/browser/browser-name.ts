import type { BrowserFamily } from '../../../../src/contract/users/account.js';
import { t } from '../i18n/i18n.js';
import './words/en.js';

/** The family of a browser in words: "Firefox on Windows". */
export function browserName({ name, system }: BrowserFamily): string {
  if (name && system) return t('accountSettings.browserOn', { name, system });
  return name ?? (system ? t('accountSettings.browserOnSystem', { system }) : t('accountSettings.unknownBrowser'));
}
