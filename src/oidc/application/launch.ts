import type { Context } from './scope-request.js';

/** Launch context of one authorization, kept on its Grant; always resolved anew (SMART 2.2 scopes-and-launch-context). */
export interface Launch {
  patient?: string;
}

/** The patient in context: a patient's own record, as their fhirUser says. */
export function resolveLaunch(fhirUser: string | undefined, wantsPatient: boolean): Launch {
  const [type, id] = fhirUser?.split('/') ?? [];
  return wantsPatient && type === 'Patient' && id !== undefined ? { patient: id } : {};
}

export function contextOf(fhirUser: string | undefined, launch: Launch): Context {
  return { fhirUser, patient: launch.patient };
}

/** What the token answer says about the launch, on the code exchange and on each refresh. */
export function launchMembers(launch: Launch, styleUrl: string): Record<string, unknown> {
  return {
    ...(launch.patient === undefined ? {} : { patient: launch.patient, need_patient_banner: true }),
    smart_style_url: styleUrl,
  };
}
