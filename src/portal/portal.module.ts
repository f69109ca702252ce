import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { Config } from '../platform/config/config.js';
import { clientFolder } from '../platform/http/client-document.js';
import { RequestFigures } from '../platform/metrics/request-figures.js';
import { productRoot } from '../platform/process/product.js';
import { UsersModule } from '../users/users.module.js';
import { Branding } from './application/branding.js';
import { ClockWatch } from './application/clock-watch.js';
import { Dashboard } from './application/dashboard.js';
import { Health } from './application/health.js';
import { Metrics } from './application/metrics.js';
import { NodeFigures } from './application/node-figures.js';
import { PreloadLinks } from './application/preload-links.js';
import { Settings } from './application/settings.js';
import { ApiDescriptionController } from './http/api-description.controller.js';
import { ApiDescription } from './http/api-description.js';
import { ClientFiles } from './http/client-files.js';
import { DashboardController } from './http/dashboard.controller.js';
import { HelpController } from './http/help.controller.js';
import { LanguagesController } from './http/languages.controller.js';
import { OperationsController } from './http/operations.controller.js';
import { PagesController } from './http/pages.controller.js';
import { SettingsController } from './http/settings.controller.js';
import { StyleController } from './http/style.controller.js';

/** Settings, dashboard counts, health and metrics, serving the pages. Line 8 of the direction of use. */
@Module({
  imports: [UsersModule, ClientsModule],
  controllers: [
    SettingsController,
    ApiDescriptionController,
    DashboardController,
    LanguagesController,
    StyleController,
    OperationsController,
    HelpController,
    // Last: it takes every address that is left.
    PagesController,
  ],
  providers: [
    {
      provide: ApiDescription,
      inject: [Config],
      useFactory: ({ server }: Config) => new ApiDescription(join(productRoot, 'dist/openapi.json'), server.issuer),
    },
    { provide: ClientFiles, useFactory: () => new ClientFiles(clientFolder) },
    Branding,
    ClockWatch,
    Dashboard,
    PreloadLinks,
    Health,
    Metrics,
    NodeFigures,
    RequestFigures,
    Settings,
  ],
})
export class PortalModule {}
