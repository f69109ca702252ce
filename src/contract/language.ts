import { IsString, MaxLength } from 'class-validator';

/** `GET /api/language?wanted=de-AT+de+en`: language tags (RFC 5646), the most wanted first. */
export class LanguageQuery {
  @IsString()
  @MaxLength(2000)
  wanted: string;
}

/** The language that suits best of those there are. */
export class LanguageTexts {
  tag: string;
  direction: 'ltr' | 'rtl';
  /** Translated texts in the shape of the English ones; a missing text is shown in English. Empty for English. */
  texts: object;
}
