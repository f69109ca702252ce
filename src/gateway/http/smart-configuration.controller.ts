import { Controller, Get } from '@nestjs/common';
import { SmartConfiguration } from '../../contract/smart-configuration.js';
import { For } from '../../platform/http/access.js';
import { AdvertisedConfiguration } from '../application/documents/advertised-configuration.js';

@Controller('api/admin/configuration')
@For('Admin')
export class SmartConfigurationController {
  constructor(private readonly advertised: AdvertisedConfiguration) {}

  /**
   * Reads the SMART configuration that apps get from the FHIR base.
   *
   * The path keeps the name it is known by.
   */
  @Get('fs-smart-configuration')
  show(): Promise<SmartConfiguration> {
    return this.advertised.document();
  }
}
