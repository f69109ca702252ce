import { choosePassword, forgotPassword, passwordRules, recovery } from './en/passwords.js';
import { i18n } from './i18n.js';

/** Imported by what shows them: most people know their password. */
i18n.addResourceBundle('en', 'translation', { choosePassword, forgotPassword, passwordRules, recovery }, true);
