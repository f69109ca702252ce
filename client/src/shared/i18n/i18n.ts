import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { en } from './en/en.js';
import { firstTexts } from './en/first.js';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/**
 * One catalogue per language, whose English comes in parts (`signed-in-texts.ts`, `admin-texts.ts`). React escapes what is put into a text, so
 * i18next must not do it a second time.
 */
export const i18n = i18next.createInstance();
void i18n.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: firstTexts } },
  interpolation: { escapeValue: false },
  initAsync: false,
});

export const t = i18n.t;
