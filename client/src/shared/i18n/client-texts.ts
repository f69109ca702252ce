import { clientRuleTexts } from '../../../../src/contract/messages/client-rules.en.js';
import { clientTexts } from './en/client-pages.js';
import { i18n } from './i18n.js';

/** Imported by the parts that need them. */
i18n.addResourceBundle('en', 'translation', { ...clientTexts, messages: clientRuleTexts }, true);
