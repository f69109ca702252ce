import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { ClientRequest } from '../../contract/clients/clients.js';
import type { FieldProblem } from '../../contract/messages/message.js';
import { Config } from '../../platform/config/config.js';
import { ConfigError } from '../../platform/config/load-config.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { inEnglish } from '../../platform/language/translator.js';
import { log } from '../../platform/logging/log.js';
import { fieldProblems } from '../../platform/values/field-problems.js';
import { Client, Clients } from '../domain/client.js';
import { ClientConditions } from './client-conditions.js';

/**
 * Registers the clients that the configuration names, where they are missing. One that is there stays as it is: from
 * its first registration on it belongs to the administrators.
 */
@Injectable()
export class ConfiguredClients implements OnApplicationBootstrap {
  constructor(
    private readonly config: Config,
    private readonly clients: Clients,
    private readonly conditions: ClientConditions,
    private readonly database: Database,
  ) {}

  /** Refuses the start with everything that is wrong with them. */
  async onApplicationBootstrap(): Promise<void> {
    const problems: string[] = [];
    for (const [index, configured] of this.config.clients.entries()) {
      // A file may leave the type out; the API may not (`spec §5`).
      const request = plainToInstance(ClientRequest, { clientType: 'StandaloneApp', ...configured });
      const structural = await validate(request, { whitelist: true, forbidNonWhitelisted: true });
      if (structural.length > 0) problems.push(...textsOf(fieldProblems(structural, `clients.${index}`)));
      else problems.push(...(await this.registerIfMissing(request, index)));
    }
    if (problems.length > 0) throw new ConfigError(problems);
  }

  private async registerIfMissing(request: ClientRequest, index: number): Promise<string[]> {
    try {
      const isThere = (await this.clients.findByClientId(request.clientId?.trim() ?? '')) !== undefined;
      const client = Client.register(isThere ? withoutEnds(request) : request, this.conditions.context());
      if (isThere) return [];
      await this.database.transaction(async () => {
        await this.clients.add(client);
        await this.clients.tag(
          client,
          (request.clientTags ?? []).map(({ id }) => id),
        );
      });
      log.info({ client: client.clientId }, 'client of the configuration registered');
      return [];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // Another node that starts at the same moment was faster; or the id is taken by another client or a user.
      const wasFaster =
        error.kind === 'conflict' && (await this.clients.findByClientId(request.clientId?.trim() ?? ''));
      return wasFaster ? [] : describeProblem(error, index);
    }
  }
}

/** The expiry dates of a stored client pass while the configuration stays the same. */
function withoutEnds(request: ClientRequest): ClientRequest {
  const clientSecrets = request.clientSecrets?.map((secret) => ({ ...secret, expires: null }));
  return { ...request, ...(clientSecrets && { clientSecrets }) };
}

function describeProblem(problem: Problem, index: number): string[] {
  const { items = [{ messages: [problem.userMessage] }] } = problem.options;
  return textsOf(
    items.map(({ field, messages }) => ({ field: [`clients.${index}`, field ?? []].flat().join('.'), messages })),
  );
}

function textsOf(problems: FieldProblem[]): string[] {
  return problems.flatMap(({ field, messages }) => messages.map((one) => `${field}: ${inEnglish(one)}`));
}
