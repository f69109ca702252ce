import { Controller, Get } from '@nestjs/common';
import type { AppSettings } from '../../contract/settings.js';
import { Public } from '../../platform/http/access.js';
import { Settings } from '../application/settings.js';

@Controller('api/settings')
export class SettingsController {
  constructor(private readonly settings: Settings) {}

  @Public()
  @Get()
  read(): Promise<AppSettings> {
    return this.settings.read();
  }
}
