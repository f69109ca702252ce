// @ts-check

/**
 * The demo's requirement for a user who adds to a record: two factors, and a sign-in of the last ten minutes
 * (`gateway.stepUp`).
 */
export const demoStepUp = [{ actions: 'cud', types: ['*'], acr: 'aal2', maxAge: 600 }];
