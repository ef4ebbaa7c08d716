import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commonProtocol,
  type Down,
  encodeFrame,
  type Frame,
  FrameReader,
  MAX_FRAME,
  PROTOCOL,
  protocolInWords,
  type Up,
} from './index.js';

const bytes = fc.uint8Array({ maxLength: 300 });
const offset = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const message = fc.record({ t: fc.string(), more: fc.jsonValue() }) as unknown as fc.Arbitrary<Up | Down>;
const frame: fc.Arbitrary<Frame> = fc.oneof(
  message.map((json): Frame => ({ kind: 'json', json })),
  fc.record({ kind: fc.constantFrom('output' as const, 'snapshot' as const), offset, bytes }),
  fc.record({ kind: fc.constantFrom('input' as const, 'stderr' as const), bytes }),
);

const wire = (frames: Frame[]): Uint8Array => Buffer.concat(frames.flatMap(encodeFrame));
const plain = (one: Frame) =>
  one.kind === 'json' ? JSON.stringify(one) : { ...one, bytes: Buffer.from(one.bytes).toString('hex') };

function head(length: number, kind: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length);
  head.writeUInt8(kind, 4);
  return head;
}

describe('frames', () => {
  it('come out as they went in, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 40 })), (frames, cuts) => {
        const whole = wire(frames);
        const reader = new FrameReader();
        const got: Frame[] = [];
        let at = 0;
        for (const cut of [...cuts, whole.length]) {
          got.push(...reader.feed(whole.subarray(at, at + cut)));
          at += cut;
        }
        got.push(...reader.feed(whole.subarray(at)));
        expect(got.map(plain)).toEqual(frames.map(plain));
      }),
    );
  });

  it('are the bytes the protocol says', () => {
    expect(Buffer.from(wire([{ kind: 'json', json: { t: 'ready' } }])).toString('latin1')).toBe(
      '\0\0\0\x0e\0{"t":"ready"}',
    );
    expect([...wire([{ kind: 'input', bytes: Buffer.from('hi') }])]).toEqual([0, 0, 0, 3, 2, 0x68, 0x69]);
    const output = wire([{ kind: 'output', offset: 2, bytes: Buffer.from('hi') }]);
    expect([...output]).toEqual([0, 0, 0, 11, 1, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x68, 0x69]);
  });

  it.each([
    ['a length of nothing', head(0, 0)],
    ['a length beyond the limit', head(MAX_FRAME + 1, 0)],
    ['the largest length there is', head(0xffff_ffff, 0)],
    ['output without an offset', Buffer.concat([head(5, 1), Buffer.alloc(4)])],
    ['output at no number', Buffer.concat([head(9, 1), Buffer.from('7ff8000000000000', 'hex')])],
    ['output before the beginning', Buffer.concat([head(9, 4), Buffer.from('bff0000000000000', 'hex')])],
    ['a message that is no JSON', Buffer.concat([head(3, 0), Buffer.from('{{')])],
    ['a message that is no object', Buffer.concat([head(5, 0), Buffer.from('null')])],
    ['a message without a type', Buffer.concat([head(3, 0), Buffer.from('{}')])],
    ['a message whose type is no text', Buffer.concat([head(8, 0), Buffer.from('{"t":1}')])],
  ])('are refused: %s', (_, hostile) => {
    expect(() => new FrameReader().feed(hostile)).toThrow();
    const before = wire([{ kind: 'input', bytes: Buffer.from('x') }]);
    const reader = new FrameReader();
    expect(reader.feed(before)).toHaveLength(1);
    expect(() => {
      for (const byte of hostile) reader.feed(Uint8Array.of(byte));
    }).toThrow();
  });

  it.each([5, 255])('of kind %i, which nobody knows yet, are left out, and what follows is not', (kind) => {
    const hi: Frame = { kind: 'input', bytes: Buffer.from('hi') };
    const stream = Buffer.concat([wire([hi]), head(4, kind), Buffer.from('new'), wire([hi])]);
    expect(new FrameReader().feed(stream).map(plain)).toEqual([hi, hi].map(plain));
    const slow = new FrameReader();
    expect([...stream].flatMap((byte) => slow.feed(Uint8Array.of(byte))).map(plain)).toEqual([hi, hi].map(plain));
  });

  it('are refused before their bytes are here: a hostile length is judged at once', () => {
    const reader = new FrameReader();
    reader.feed(Uint8Array.of(0xff, 0xff, 0xff));
    expect(() => reader.feed(Uint8Array.of(0xff))).toThrow('frame of');
  });

  it('of any bytes never do more than throw', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (chunks) => {
        const reader = new FrameReader();
        try {
          for (const chunk of chunks) reader.feed(chunk);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });

  it('that the peer would take for an attack are not made', () => {
    const limit: Frame = { kind: 'input', bytes: new Uint8Array(MAX_FRAME - 1) };
    expect(encodeFrame(limit)[1]).toHaveLength(MAX_FRAME - 1);
    expect(() => encodeFrame({ kind: 'input', bytes: new Uint8Array(MAX_FRAME) })).toThrow('frame of');
  });

  it('of great size in many small chunks are put together once: memory is not copied per chunk', () => {
    const size = 16 * 1024 * 1024;
    const whole = wire([{ kind: 'input', bytes: new Uint8Array(size) }]);
    const reader = new FrameReader();
    const set = Uint8Array.prototype.set;
    let copied = 0;
    Uint8Array.prototype.set = function (from: ArrayLike<number>, at?: number) {
      copied += from.length;
      set.call(this, from, at);
    };
    const got: Frame[] = [];
    try {
      for (let at = 0; at < whole.length; at += 1024) got.push(...reader.feed(whole.subarray(at, at + 1024)));
    } finally {
      Uint8Array.prototype.set = set;
    }
    expect(got.map((one) => one.kind === 'input' && one.bytes.length)).toEqual([size]);
    expect(copied).toBeLessThan(3 * size);
  });
});

describe('two builds', () => {
  it.each([
    ['the first build, which says one number', { protocol: 1 }, 1],
    ['the same', { protocol: 1, newest: 2 }, 2],
    ['a younger one that still knows us', { protocol: 1, newest: 9 }, 2],
    ['a younger one that has forgotten the first', { protocol: 2, newest: 9 }, 2],
    ['one too young', { protocol: 3, newest: 9 }, undefined],
    ['one too old', { protocol: 0 }, undefined],
    ['a range upside down', { protocol: 2, newest: 1 }, undefined],
    ['nothing at all', {}, undefined],
    ['what is no number', { protocol: '1' }, undefined],
    ['what is half a number', { protocol: 1, newest: 1.5 }, undefined],
  ])('of which the other is %s', (_, theirs, common) => {
    expect(commonProtocol(theirs, { protocol: 1, newest: 2 })).toBe(common);
  });

  it('the first builds hear the number they want', () => {
    expect(PROTOCOL.protocol).toBe(1);
    expect([protocolInWords(PROTOCOL), protocolInWords({ protocol: 7 })]).toEqual(['1 to 2', '7']);
  });
});
