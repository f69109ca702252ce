import type {
  ClientFormConditions,
  ClientIdentityProvider,
  ResourceTypeGroup,
} from '../../../../src/contract/clients/client-conditions.js';
import { api } from '../base.js';

/** The choices that the portal and its FHIR server offer to the settings of clients. */
const conditionsApi = api.injectEndpoints({
  endpoints: (build) => ({
    identityProviders: build.query<ClientIdentityProvider[], void>({
      query: () => 'admin/client/available-identityproviders',
      extraOptions: { notice: true },
    }),
    /**
     * `loaded`: true once the capabilities of the FHIR server are known; before, the answer is empty and is not kept.
     */
    resourceTypes: build.query<string[], { loaded: boolean }>({
      query: () => 'admin/client/available-resourcetypes',
      extraOptions: { notice: true },
    }),
    resourceTypeGroups: build.query<ResourceTypeGroup[], { loaded: boolean }>({
      query: () => 'admin/client/available-resourcetypegroups',
      extraOptions: { notice: true },
    }),
    operationScopes: build.query<string[], void>({
      query: () => 'admin/client/available-operationscopes',
      extraOptions: { notice: true },
    }),
    clientFormConditions: build.query<ClientFormConditions, void>({
      query: () => 'admin/client/form-conditions',
      extraOptions: { notice: true },
    }),
  }),
});

export const {
  useIdentityProvidersQuery,
  useResourceTypesQuery,
  useResourceTypeGroupsQuery,
  useOperationScopesQuery,
  useClientFormConditionsQuery,
} = conditionsApi;
