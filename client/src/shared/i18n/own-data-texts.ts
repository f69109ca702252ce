import { keepAccount, ownData } from './en/own-data.js';
import { i18n } from './i18n.js';

/** Imported by what shows them: a part of the account settings, and the page that keeps an account. */
i18n.addResourceBundle('en', 'translation', { keepAccount, ownData }, true);
