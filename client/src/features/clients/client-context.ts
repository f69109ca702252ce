import { useRef } from 'react';
import type { ClientIdentityProvider, ClientTenant } from '../../../../src/contract/clients/client-conditions.js';
import type { ClientTag } from '../../../../src/contract/clients/tags.js';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import type { ClientFormEnvironment } from '../../../../src/contract/rules/clients/client-fields.js';
import {
  useClientFormConditionsQuery,
  useIdentityProvidersQuery,
  useOperationScopesQuery,
  useResourceTypeGroupsQuery,
  useResourceTypesQuery,
} from '../../api/clients/client-conditions.js';
import { useTagsQuery } from '../../api/clients/tags.js';

/** The choices for a client's settings, and the portal's limits on them. */
export interface ClientContext {
  environment: ClientFormEnvironment;
  resourceTypes: readonly string[];
  operationScopes: readonly string[];
  providers: readonly ClientIdentityProvider[];
  tenants: readonly ClientTenant[];
  tags: readonly ClientTag[];
}

/**
 * Undefined until everything is there. In the order of `spec §2`: operation scopes once all data is loaded, the rest
 * before.
 */
export function useClientContext(status: ServerStatus | undefined): ClientContext | undefined {
  const skip = !status;
  const loaded = status?.isAllDataLoaded ?? false;
  const { data: conditions } = useClientFormConditionsQuery(undefined, { skip });
  const { data: providers } = useIdentityProvidersQuery(undefined, { skip });
  const { data: tags } = useTagsQuery(undefined, { skip });
  const { data: resourceTypes } = useResourceTypesQuery({ loaded }, { skip, refetchOnMountOrArgChange: true });
  const { data: groups } = useResourceTypeGroupsQuery({ loaded }, { skip, refetchOnMountOrArgChange: true });
  const { data: operationScopes } = useOperationScopesQuery(undefined, {
    skip: !loaded,
    refetchOnMountOrArgChange: true,
  });
  // An open form must not disappear while a part of them is reloaded.
  const last = useRef<ClientContext>(undefined);
  if (!conditions || !providers || !tags || !resourceTypes || !groups || (loaded && !operationScopes))
    return last.current;
  last.current = {
    environment: {
      identityProviders: providers.map(({ scheme }) => scheme),
      externalLoginRestricted: conditions.externalLoginRestricted,
      operationScopesLoaded: loaded,
      resourceTypeGroups: groups,
      // Tenants have FHIR servers of their own, which may serve other types.
      served: conditions.enforcesScopes
        ? { types: loaded && conditions.tenants.length === 0 ? resourceTypes : undefined }
        : undefined,
    },
    resourceTypes,
    operationScopes: operationScopes ?? [],
    providers,
    tenants: conditions.tenants,
    tags,
  };
  return last.current;
}
