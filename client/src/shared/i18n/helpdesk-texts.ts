import { helpdesk } from './en/helpdesk.js';
import { i18n } from './i18n.js';

/** Imported by the one page that needs them. */
i18n.addResourceBundle('en', 'translation', { helpdesk }, true);
