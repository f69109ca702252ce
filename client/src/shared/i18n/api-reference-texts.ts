import { apiReference } from './en/api-reference.js';
import { i18n } from './i18n.js';

/** Imported by the page that needs them. */
i18n.addResourceBundle('en', 'translation', { apiReference }, true);
