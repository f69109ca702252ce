import { consent } from './en/consent.js';
import { i18n } from './i18n.js';

/** Imported by the page that needs them. */
i18n.addResourceBundle('en', 'translation', { consent }, true);
