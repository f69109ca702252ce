import { Injectable } from '@nestjs/common';
import { Figures } from '../../platform/metrics/figures.js';
import { FhirServers } from './fhir-servers.js';

/** Figures of the FHIR servers. */
@Injectable()
export class FhirServerFigures {
  constructor(
    figures: Figures,
    private readonly servers: FhirServers,
  ) {
    const name = 'gatehouse_fhir_server_available';
    const help = '1 if the FHIR server of the tenant answered the last check, else 0; absent without a server';
    // A worker that has just started has not looked yet.
    figures.add([{ name, help, labels: ['tenant'], across: 'max' }], () => ({
      [name]: this.servers
        .all()
        .filter(([, { server }]) => server.baseUrl !== undefined)
        .map(([tenant = '', { status }]) => ({
          labels: { tenant },
          value: status.status().isFirelyServerAvailable ? 1 : 0,
        })),
    }));
  }
}
