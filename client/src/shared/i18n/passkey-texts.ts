import { passkeys } from './en/passkeys.js';
import { i18n } from './i18n.js';

/** Imported by what shows them. */
i18n.addResourceBundle('en', 'translation', { passkeys }, true);
