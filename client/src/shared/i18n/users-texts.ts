import { users } from './en/users.js';
import { i18n } from './i18n.js';

/** Imported by the pages that need them. */
i18n.addResourceBundle('en', 'translation', { users }, true);
