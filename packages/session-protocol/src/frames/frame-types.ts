/** Frame types and flags (docs/protocol.md, section 2). Plain numbers: they are compared for every frame. */
export const OPEN = 1
export const DATA = 2
export const WINDOW = 3
export const RESET = 4
export const PING = 5
export const PONG = 6
export const CONTROL = 7
export const GOAWAY = 8

export const END_FLAG = 1
