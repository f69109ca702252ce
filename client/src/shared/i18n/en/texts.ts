import { english } from '../../../../../src/contract/messages/catalogue.js';
import { en } from './en.js';

/** All texts for translators: those of the pages, and every message of rules, refusals, server pages and mails. */
export const texts = { ...en, messages: english } as const;
