import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';

const path = '/api/admin/configuration/tag';

describe('tags of clients', () => {
  let portal: AdminPortal;

  beforeAll(async () => {
    portal = await startAdminPortal();
  });
  afterAll(() => portal.close());
  beforeEach(() => portal.query('DELETE FROM tag'));

  const create = (value: string, color = '#0A6375') => portal.api.post(path).send({ value, color });

  test('are created, listed by value, changed and deleted', async () => {
    const { body: tag } = await create(' research ').expect(201);
    expect(tag).toEqual({ id: expect.any(String), value: 'research', color: '#0A6375' });
    await create('Cardiology', '#abc').expect(201);
    const { body: list } = await portal.api.get(path).expect(200);
    expect(list.map(({ value }: { value: string }) => value)).toEqual(['Cardiology', 'research']);

    await portal.api.put(`${path}/${tag.id}`).send({ value: 'Studies', color: '#123' }).expect(200);
    await portal.api.delete(`${path}/${tag.id}`).expect(204);
    await portal.api.delete(`${path}/${tag.id}`).expect(404);
    await portal.api.put(`${path}/${tag.id}`).send({ value: 'Studies', color: '#123' }).expect(404);
    await portal.api.delete(`${path}/no-uuid`).expect(404);
  });

  test('cannot have the value of another tag in any case', async () => {
    await create('Cardiology').expect(201);
    const { body } = await create('cardiology').expect(409);
    expect(body.errors).toEqual([{ field: 'value', messages: ['A tag with this value already exists.'] }]);
    const { body: other } = await create('Research').expect(201);
    await portal.api.put(`${path}/${other.id}`).send({ value: 'CARDIOLOGY', color: '#123' }).expect(409);
    await portal.api.put(`${path}/${other.id}`).send({ value: 'RESEARCH', color: '#123' }).expect(200);
  });

  test.each([
    [{ value: 'x', color: '#fff;background:url(//evil)' }, 'color'],
    [{ value: 'x', color: 'red' }, 'color'],
    [{ value: 'a'.repeat(21), color: '#fff' }, 'value'],
    [{ value: 'a\u0000', color: '#fff' }, 'value'],
    [{ value: '\u202Ea', color: '#fff' }, 'value'],
    [{ value: 1, color: '#fff' }, 'value'],
    [{ color: '#fff' }, 'value'],
    [{ value: 'x', color: '#fff', id: 'mine' }, 'id'],
  ])('L-06 cannot be created from %j', async (form, field) => {
    const { body } = await portal.api.post(path).send(form).expect(400);
    expect(body).toMatchObject({ errors: [{ field, messages: [expect.any(String)] }], title: 'Bad Request' });
  });
});
