import { accessLog } from './en/access-log.js';
import { i18n } from './i18n.js';

/** Imported by the one page that needs them. */
i18n.addResourceBundle('en', 'translation', { accessLog }, true);
