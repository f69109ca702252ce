import { twoFactor, verification } from './en/two-factor.js';
import { i18n } from './i18n.js';

/** Imported by what shows them: most people have no second factor. */
i18n.addResourceBundle('en', 'translation', { twoFactor, verification }, true);
