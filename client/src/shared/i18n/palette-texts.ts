import { palette } from './en/palette.js';
import { i18n } from './i18n.js';

/** Imported by the palette. */
i18n.addResourceBundle('en', 'translation', { palette }, true);
