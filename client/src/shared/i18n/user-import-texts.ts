import { importTexts } from '../../../../src/contract/messages/imports.en.js';
import { userImport } from './en/user-import.js';
import { i18n } from './i18n.js';

/** Imported by the import of users. */
i18n.addResourceBundle('en', 'translation', { userImport, messages: importTexts }, true);
