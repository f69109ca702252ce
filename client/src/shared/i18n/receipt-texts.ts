import { receipts } from './en/receipts.js';
import { i18n } from './i18n.js';

/** Imported by the dialog and the page that need them. */
i18n.addResourceBundle('en', 'translation', { receipts }, true);
