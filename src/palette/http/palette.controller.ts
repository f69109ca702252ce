import { Controller, Get, Query } from '@nestjs/common';
import { OpenedQuery, OpenedRows, PaletteMatches, PaletteQuery } from '../../contract/palette.js';
import { For } from '../../platform/http/access.js';
import { PaletteSearch } from '../application/palette-search.js';

@For('Admin')
@Controller('api/admin/palette')
export class PaletteController {
  constructor(private readonly search: PaletteSearch) {}

  /** The best matches among clients, redirect URIs, users and FHIR records. */
  @Get()
  findMatches(@Query() { term }: PaletteQuery): Promise<PaletteMatches> {
    return this.search.matchesOf(term);
  }

  /** The names of the clients and users with these ids. */
  @Get('opened')
  opened(@Query() query: OpenedQuery): Promise<OpenedRows> {
    return this.search.opened(query);
  }
}
