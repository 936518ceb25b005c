#!lua flags=no-writes
-- Shows what nodes have and want, of one resource, or of all, page by page. The fields are those of exchange.lua.
--
-- KEYS: the hash. ARGV: the resource, or nothing for all; from where to go on, 0 at first. Returns from where to go on, 0 at the
-- end, and of each node session, name, has, wants, and for how many milliseconds it has said nothing.

local key, resource, cursor = KEYS[1], ARGV[1], ARGV[2]
local meta, sessions = unpack(redis.call('HMGET', key, '!', 'n'))
local log = tonumber(meta and string.match(meta, '^%d+ %d+ (%d+) '))
if not log or not sessions then
    return { '0' }
end

local births, fields, spoke, has, wants, speaks = {}, {}, {}, {}, {}, {}
for id, birth, since, ends in string.gmatch(sessions, '(%w+) (%d+) (%d+) (%d+) %d+ %d+;') do
    if tonumber(ends) > log then
        births[#births + 1] = birth
        fields[#fields + 1] = 's:' .. id
        spoke[birth], has[birth], wants[birth] = tonumber(since), 0, 0
        speaks[birth] = resource == ''
    end
end
if #fields == 0 then
    return { '0' }
end

local function add(text)
    for birth, h, w in string.gmatch(text, '(%d+) (%d+) (%d+) %d+ [^;]*;') do
        if has[birth] then
            has[birth], wants[birth] = has[birth] + h, wants[birth] + w
            speaks[birth] = speaks[birth] or h ~= '0' or w ~= '0'
        end
    end
end

if resource == '' then
    local page = redis.call('HSCAN', key, cursor, 'COUNT', 1000)
    cursor = page[1]
    for i = 1, #page[2], 2 do
        if string.sub(page[2][i], 1, 2) == 'g:' then
            add(page[2][i + 1])
        end
    end
else
    add(redis.call('HGET', key, resource) or '')
    cursor = '0'
end

local names = redis.call('HMGET', key, unpack(fields))
local answer = { cursor }
for i, birth in ipairs(births) do
    if speaks[birth] then
        local id = string.sub(fields[i], 3)
        local silent = math.max(0, log - spoke[birth])
        for _, part in ipairs({ id, names[i] or id, has[birth], wants[birth], silent }) do
            answer[#answer + 1] = type(part) == 'number' and string.format('%.0f', part) or part
        end
    end
end
return answer
