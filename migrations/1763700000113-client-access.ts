import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The access to FHIR data that a client can get by its settings, as `see`, `add`, `change`, `delete` and the subjects
 * of its scopes. It is computed, so that clients of nodes of the release before have it, too.
 */
export class ClientAccess1763700000113 implements MigrationInterface {
  name = 'ClientAccess1763700000113';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION client_access(settings jsonb, client_type text) RETURNS text[]
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE WHEN client_type = 'ManagementApi' OR cardinality(subjects) = 0 THEN '{}'::text[] ELSE subjects ||
            CASE WHEN actions ?| '{r,s}' OR legacy ?| '{read,*}' THEN '{see}'::text[] ELSE '{}' END ||
            CASE WHEN actions ? 'c' OR legacy ?| '{write,*}' THEN '{add}'::text[] ELSE '{}' END ||
            CASE WHEN actions ? 'u' OR legacy ?| '{write,*}' THEN '{change}'::text[] ELSE '{}' END ||
            CASE WHEN actions ? 'd' OR legacy ?| '{write,*}' THEN '{delete}'::text[] ELSE '{}' END END
          FROM (SELECT settings -> 'allowedSmartActions' AS actions, settings -> 'allowedSmartLegacyActions' AS legacy,
                       ARRAY(SELECT subject FROM jsonb_array_elements_text(settings -> 'allowedSmartSubjects') AS subject
                              WHERE settings -> 'allowedGrantTypes' ?
                                CASE subject WHEN 'system' THEN 'client_credentials' ELSE 'authorization_code' END
                       ) AS subjects) AS permitted
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION client_access(jsonb, text)');
  }
}
