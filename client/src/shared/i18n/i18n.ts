import { initReactI18next } from 'react-i18next';
import { i18n } from './add-words.js';
import './words/en.js';

i18n.use(initReactI18next);

export { i18n };
export const t = i18n.t;
