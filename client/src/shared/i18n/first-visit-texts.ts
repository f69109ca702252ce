import { register } from './en/register.js';
import { welcome } from './en/welcome.js';
import { i18n } from './i18n.js';

/** Imported by what shows them: the pages of a first visit. */
i18n.addResourceBundle('en', 'translation', { register, welcome }, true);
