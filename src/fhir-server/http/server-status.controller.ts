import { Controller, Get } from '@nestjs/common';
import { ServerStatus } from '../../contract/dashboard.js';
import { For, Polled } from '../../platform/http/access.js';
import { FhirServerStatus } from '../application/fhir-server-status.js';

@Controller('api/admin/dashboard')
export class ServerStatusController {
  constructor(private readonly fhirServer: FhirServerStatus) {}

  /**
   * Reads the state of the FHIR server.
   *
   * The path keeps the name it is known by.
   */
  @Get('firely-server-status')
  @For('Admin')
  @Polled()
  status(): ServerStatus {
    return this.fhirServer.status();
  }
}
