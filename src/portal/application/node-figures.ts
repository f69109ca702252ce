import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { Figures } from '../../platform/metrics/figures.js';
import { productVersion } from '../../platform/process/product.js';
import { Health } from './health.js';

/** Figures of this node, and of the jobs that wait for any node. */
@Injectable()
export class NodeFigures {
  constructor(
    figures: Figures,
    private readonly database: Database,
    private readonly jobs: JobRunner,
    private readonly health: Health,
  ) {
    figures.add(
      [
        { name: 'gatehouse_workers', help: 'Processes that serve (server.workers)' },
        {
          name: 'gatehouse_build_info',
          help: 'Version of this node; the value is 1',
          labels: ['version'],
          across: 'max',
        },
      ],
      () => ({
        gatehouse_workers: 1,
        gatehouse_build_info: [{ labels: { version: productVersion }, value: 1 }],
      }),
    );
    this.addConnections(figures);
    this.addJobs(figures);
  }

  private addConnections(figures: Figures): void {
    figures.add(
      [
        {
          name: 'gatehouse_database_connections',
          help: 'Open connections to the database by their state: used, idle',
          labels: ['state'],
        },
        { name: 'gatehouse_database_connections_max', help: 'Connections that may be open (database.poolSize)' },
        { name: 'gatehouse_database_waiting', help: 'Calls that wait for a connection to the database' },
      ],
      () => {
        const { used, idle, waiting, most } = this.database.connections;
        return {
          gatehouse_database_connections: [
            { labels: { state: 'used' }, value: used },
            { labels: { state: 'idle' }, value: idle },
          ],
          gatehouse_database_connections_max: most,
          gatehouse_database_waiting: waiting,
        };
      },
    );
    const name = 'gatehouse_database_up';
    figures.addStored(
      [{ name, help: '1 if the database answers and takes changes, else 0', across: 'min' }],
      async () => ({ [name]: (await this.health.readiness()).database ? 1 : 0 }),
      { [name]: 0 },
    );
  }

  private addJobs(figures: Figures): void {
    const labels = ['kind'];
    figures.addStored(
      [
        { name: 'gatehouse_jobs_due', help: 'Jobs of all nodes that are due', labels, across: 'max' },
        {
          name: 'gatehouse_jobs_oldest_age_seconds',
          help: 'Age of the oldest waiting job of all nodes, due or not',
          labels,
          across: 'max',
        },
        {
          name: 'gatehouse_job_failures_total',
          help: 'Jobs that failed in an attempt of this process',
          labels,
          type: 'counter',
        },
        {
          name: 'gatehouse_jobs_given_up_total',
          help: 'Jobs that this process dropped because they were too old',
          labels,
          type: 'counter',
        },
      ],
      async () => {
        const kinds = await this.jobs.figures();
        const values = (of: (one: (typeof kinds)[0]) => number | undefined) =>
          kinds.flatMap((one) => {
            const value = of(one);
            return value === undefined ? [] : [{ labels: { kind: one.kind }, value }];
          });
        return {
          gatehouse_jobs_due: values(({ due }) => due),
          gatehouse_jobs_oldest_age_seconds: values(({ oldestSeconds }) => oldestSeconds),
          gatehouse_job_failures_total: values(({ failures }) => failures),
          gatehouse_jobs_given_up_total: values(({ givenUp }) => givenUp),
        };
      },
    );
  }
}
