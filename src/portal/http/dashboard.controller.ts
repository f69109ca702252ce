import { Controller, Get } from '@nestjs/common';
import type { DashboardCounts } from '../../contract/dashboard.js';
import { For } from '../../platform/http/access.js';
import { Dashboard } from '../application/dashboard.js';

@For('Admin')
@Controller('api/admin/dashboard')
export class DashboardController {
  constructor(private readonly dashboard: Dashboard) {}

  /** Counts users and clients. */
  @Get()
  counts(): Promise<DashboardCounts> {
    return this.dashboard.counts();
  }
}
