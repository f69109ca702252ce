import type {
  ClientRotations,
  RotationChange,
  RotationEnd,
  RotationRequest,
  RotationState,
  StartedRotation,
} from '../../../../src/contract/clients/secret-rotation.js';
import { api } from '../base.js';
import { clientPath } from './clients.js';

const rotationApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** The state of a rotation of a shared secret. */
    secretRotation: build.query<RotationState, string>({
      query: (id) => `${clientPath(id)}/rotation`,
      keepUnusedDataFor: 0,
      providesTags: ['Clients'],
    }),
    secretRotations: build.query<ClientRotations, void>({
      query: () => 'admin/client/rotations',
      providesTags: ['Clients'],
    }),
    /** The only answer with the new secret: forget it once it was shown. */
    startRotation: build.mutation<StartedRotation, { id: string } & RotationRequest>({
      query: ({ id, ...body }) => ({ url: `${clientPath(id)}/rotation`, method: 'POST', body }),
      invalidatesTags: ['Clients'],
    }),
    changeRotation: build.mutation<RotationState, { id: string } & RotationChange>({
      query: ({ id, ...body }) => ({ url: `${clientPath(id)}/rotation`, method: 'PUT', body }),
      invalidatesTags: ['Clients'],
    }),
    endRotation: build.mutation<RotationState, { id: string } & RotationEnd>({
      query: ({ id, ...body }) => ({ url: `${clientPath(id)}/rotation/end`, method: 'POST', body }),
      invalidatesTags: ['Clients'],
    }),
    cancelRotation: build.mutation<RotationState, string>({
      query: (id) => ({ url: `${clientPath(id)}/rotation`, method: 'DELETE' }),
      invalidatesTags: ['Clients'],
    }),
  }),
});

export const {
  useSecretRotationQuery,
  useSecretRotationsQuery,
  useStartRotationMutation,
  useChangeRotationMutation,
  useEndRotationMutation,
  useCancelRotationMutation,
} = rotationApi;
