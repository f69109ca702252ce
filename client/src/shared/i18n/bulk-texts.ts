import { bulk } from './en/bulk.js';
import { managed } from './en/managed.js';
import { i18n } from './i18n.js';

/** Imported by the lists whose rows can be selected, and managed by a file. */
i18n.addResourceBundle('en', 'translation', { bulk, managed }, true);
