/**
 * SQL for the patients of a `record.accessed` event, as a JSON array or, in events of earlier versions, one string. The
 * index has the same expression; `… @> '"id"'::jsonb` finds the events of a patient in either form.
 */
export const patientsOfEvent = "coalesce(detail -> 'patients', detail -> 'patient')";
