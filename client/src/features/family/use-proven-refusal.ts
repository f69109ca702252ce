import type { FormInstance } from 'antd';
import { useState } from 'react';
import { isRefusedFor } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';

/** Fields of a form that a proof of the user belongs to. */
interface Proven {
  currentPassword?: string;
}

/**
 * The refusal of a form whose call may need a proof of the user: `isProving` once the portal has asked for one, from
 * the beginning if it always does.
 */
export function useProvenRefusal<Fields extends Proven>(form: FormInstance<Fields>, isAlways = false) {
  const refusal = useRefusal<Fields & Proven>(form as FormInstance<Fields & Proven>);
  const [isProving, setProving] = useState(isAlways);
  const show: typeof refusal.show = (error, fields) => {
    const shown = refusal.show(error, fields);
    const isAsked = 'currentPassword' in shown.fields || isRefusedFor(error, 'confirm-at-provider');
    if (isAsked) setProving(true);
    return shown;
  };
  return { refusal: { ...refusal, show }, isProving };
}
