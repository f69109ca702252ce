import { adminTexts } from './en/admin.js';
import { i18n } from './i18n.js';

/** Imported by the administrators' shell: pages of a sign-in do not load these. */
i18n.addResourceBundle('en', 'translation', adminTexts, true);
