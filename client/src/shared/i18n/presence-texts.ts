import { presence } from './en/presence.js';
import { i18n } from './i18n.js';

/** Imported by the line that needs them. */
i18n.addResourceBundle('en', 'translation', { presence }, true);
