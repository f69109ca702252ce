import { branding } from './en/branding.js';
import { i18n } from './i18n.js';

/** Imported by the sheet that needs them. */
i18n.addResourceBundle('en', 'translation', { branding }, true);
