import { Controller, Get, Header, Query } from '@nestjs/common';
import { LanguageQuery, LanguageTexts } from '../../contract/language.js';
import { Public } from '../../platform/http/access.js';
import { Languages } from '../../platform/language/languages.js';

@Controller('api/language')
export class LanguagesController {
  constructor(private readonly languages: Languages) {}

  /** Reads the texts of the pages in the language that suits best. */
  @Public()
  @Get()
  @Header('Cache-Control', 'private, max-age=300')
  read(@Query() { wanted }: LanguageQuery): LanguageTexts {
    return this.languages.bestFor(wanted.split(' '));
  }
}
