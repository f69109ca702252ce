import { Form } from 'antd';
import { useEffect } from 'react';
import type { Claim } from '../../../../../../src/contract/session.js';
import { ClaimsFields } from '../../../../shared/ui/forms/claims-fields.js';
import styles from '../form.module.css';
import { useClientFormState } from '../state/use-client-form.js';
import { FieldMarks, FieldNotes } from './field-notes.js';
import '../../../../shared/ui/forms/words/en.js';

/** The rows of name and value that users have, too, inside the client's draft. */
export function ClientClaims() {
  const { draft, set, problemAt, generation } = useClientFormState();
  const [form] = Form.useForm<{ claims: Claim[] }>();
  const problemOf = (place: string) => problemAt(place.replace(/^claims/, 'clientClaims'));
  const rowProblems = draft.clientClaims.map((_, index) => [
    problemOf(`claims.${index}.name`),
    problemOf(`claims.${index}.value`),
  ]);
  const problems = JSON.stringify([problemOf('claims'), rowProblems]);
  // Ant Design runs the validators of the rows only when asked: here, whenever their problems have changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs again when the texts of the problems change, and reads them through the validators
  useEffect(() => {
    form.validateFields().catch(() => undefined);
  }, [form, problems]);
  return (
    <Form
      key={generation}
      component={false}
      form={form}
      layout="vertical"
      initialValues={{ claims: draft.clientClaims }}
      validateTrigger={[]}
      onValuesChange={(_, { claims }) =>
        set(
          'clientClaims',
          claims.map((claim: Partial<Claim> | undefined) => ({ name: claim?.name ?? '', value: claim?.value ?? '' })),
        )
      }
    >
      <div className={styles.field} data-place="clientClaims">
        <ClaimsFields problemOf={problemOf} />
        <FieldMarks place="clientClaims" />
        <FieldNotes place="clientClaims" />
      </div>
    </Form>
  );
}
