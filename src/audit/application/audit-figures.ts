import { Injectable } from '@nestjs/common';
import { Audit } from '../../platform/audit/audit.js';
import { AuditBatch } from '../../platform/audit/audit-batch.js';
import { Figures } from '../../platform/metrics/figures.js';
import { AuditSeals } from '../domain/audit-seals.js';

/** Figures of the audit record: its events, those that are not written or not sealed yet, and the seals. */
@Injectable()
export class AuditFigures {
  constructor(
    figures: Figures,
    private readonly audit: Audit,
    private readonly batch: AuditBatch,
    private readonly seals: AuditSeals,
  ) {
    figures.add(
      [
        {
          name: 'gatehouse_audit_events_total',
          help: 'Audit events that this process recorded',
          labels: ['type', 'outcome'],
          type: 'counter',
        },
        { name: 'gatehouse_audit_events_waiting', help: 'Accesses to records that this process has not recorded yet' },
      ],
      () => ({
        gatehouse_audit_events_total: [...this.audit.counts.all(), ...this.batch.counts.all()],
        gatehouse_audit_events_waiting: this.batch.size,
      }),
    );
    this.addSeals(figures);
  }

  private addSeals(figures: Figures): void {
    const across = 'max';
    figures.addStored(
      [
        {
          name: 'gatehouse_audit_unsealed_events',
          help: 'Audit events of all nodes without a seal, up to 100000',
          across,
        },
        {
          name: 'gatehouse_audit_oldest_unsealed_age_seconds',
          help: 'Age of the oldest audit event without a seal, or 0',
          across,
        },
        { name: 'gatehouse_audit_seals', help: 'Seals of the audit record', across },
        { name: 'gatehouse_audit_last_seal_age_seconds', help: 'Age of the last seal of the audit record', across },
      ],
      async () => {
        const { unsealed, oldestSeconds, seals, lastSeconds } = await this.seals.backlog();
        return {
          gatehouse_audit_unsealed_events: unsealed,
          gatehouse_audit_oldest_unsealed_age_seconds: oldestSeconds,
          gatehouse_audit_seals: seals,
          gatehouse_audit_last_seal_age_seconds: lastSeconds,
        };
      },
    );
  }
}
