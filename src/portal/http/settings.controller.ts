import { Controller, Get } from '@nestjs/common';
import type { AppSettings } from '../../contract/settings.js';
import { Public } from '../../platform/http/access.js';
import { Settings } from '../application/settings.js';

@Controller('api/settings')
export class SettingsController {
  constructor(private readonly settings: Settings) {}

  /** Reads the settings that the pages need before a user has signed in. */
  @Public()
  @Get()
  read(): Promise<AppSettings> {
    return this.settings.read();
  }
}
