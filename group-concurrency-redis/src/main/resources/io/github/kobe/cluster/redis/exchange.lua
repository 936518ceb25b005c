#!lua flags=allow-oom
-- Carries out one statement: the twin of Exchange, Memory, Division and Fairness in io.github.kobe.internal.cluster, which
-- say what is meant. All that is remembered is in one hash, so it is lost or kept as a whole:
--
--   !            form epoch log last answered learnt lease births cursor run-id replication-id
--   n            each session: id birth spoke ends sequence real;
--   s:SESSION    the name of its node
--   h:SESSION    hints that are kept for it: each its length, ':' and its resource
--   g:KEY        each node: birth has want limit told spoke since granted fell hinted;
--
-- A session gets a number at its birth, and entries name that: so those of a session that is over, or was opened again, count
-- no more at once. '-' is a stamp of what never happened. What can't be read is taken as forgotten. Nothing is written before
-- all is decided.
--
-- KEYS: the hash. ARGV: kind session epoch sequence after quiet lease form heartbeat node, and for each demand resource has
-- want spare limit. The channel for hints of a session is the key, a colon and the session.
--
-- All of this is run for each statement. So what is rarely needed is inside of what needs it, and texts that stay as they are
-- are copied, not parsed.

local call, find, match, gmatch = redis.call, string.find, string.match, string.gmatch
local sub, format, floor, max, min = string.sub, string.format, math.floor, math.max, math.min

local NEVER, PLACE, TURN, MOST_HINTS, SWEEP = -1000000, 1000, 20, 100, 32
local SUFFIX, UNMET, FIRST, EACH = 16777216, '*', 11, 5
local ENTRY = '()(%d+) (%d+) (%d+) (%d+) [^;]*;()'
local STAMPS = '^%d+ %d+ %d+ %d+ (%d+) ([%d-]+) ([%d-]+) ([%d-]+) ([%d-]+) ([%d-]+);'
local SESSION = '()(%w+) (%d+) (%d+) (%d+) %d+ %d+;()'

local key, me, heartbeat = KEYS[1], ARGV[2], ARGV[9] == '1'
local stated, sequence, quiet, lease, form = ARGV[3] + 0, ARGV[4] + 0, ARGV[6] + 0, ARGV[7] + 0, ARGV[8] + 0

local time = call('TIME')
local realText = time[1] .. sub('00000' .. time[2], -6, -4)
local real = realText + 0
local info = call('INFO', 'server', 'replication')
local _, at = find(info, '\nrun_id:', 1, true)
local run = at and match(info, '^[^\r\n]+', at + 1)
_, at = find(info, '\nmaster_replid:', 1, true)
local replication = at and match(info, '^[^\r\n]+', at + 1)
if not run or not replication then
    return redis.error_reply('NOINFO this server does not tell scripts its run_id and master_replid')
end

-- ---- what is remembered

local fields = { '!', 'n', 'h:' .. me }
for i = FIRST, #ARGV, EACH do
    fields[#fields + 1] = ARGV[i]
end
local stored = call('HMGET', key, unpack(fields))

local epoch, epochText, log, last, answered, learnt, births, cursor = 0, '0', 0, real, real, 0, 0, '0'
local ofForm, ofLease, ofRun, ofReplication = form, lease, run, replication
local known = false
if stored[1] then
    local f, e, lo, la, an, le, ls, b, c, r, p =
        match(stored[1], '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%S+)')
    if p then
        known = true
        ofForm, epoch, epochText, log, last, answered, learnt = f + 0, e + 0, e, lo + 0, la + 0, an + 0, le + 0
        ofLease, births, cursor, ofRun, ofReplication = ls + 0, b + 0, c, r, p
    else
        ofForm = (match(stored[1], '^(%d+) ') or form) + 0
    end
end

-- Numbers of up to 14 digits, which all are but epochs, become texts as they are.
local function head(nodes, denied)
    return epochText .. ' ' .. max(0, learnt - log) .. ' ' .. nodes .. (denied and ' 1' or ' 0')
end

if form < ofForm then
    return { 'REFUSED', head(0), 'form ' .. form .. ', cluster has ' .. ofForm }
end

-- ---- the clock, and who is there

-- Mine: where its text begins and ends, birth, when it spoke by the log and by the server, when it is over, sequence.
local sessions = known and stored[2] or ''
local mine, born, spoke, ends, said, spokeAt, behind
if sub(sessions, 1, #me + 1) == me .. ' ' then
    mine = 1
else
    _, mine = find(sessions, ';' .. me .. ' ', 1, true)
    mine = mine and mine - #me
end
if mine then
    born, spoke, ends, said, spokeAt, behind = match(sessions, '^%w+ (%d+) (%d+) (%d+) (%d+) (%d+);()', mine)
    mine = born and mine
end
if mine then
    spoke, ends, said, spokeAt = spoke + 0, ends + 0, said + 0, spokeAt + 0
end

local heard
if mine and ARGV[5] + 0 == said then
    answered = max(answered, spokeAt)
    heard = spoke
end
local gap = real - answered
if mine and sequence > said then
    gap = max(gap, quiet - (log - spoke))
end
local passed = real - last
if passed > floor(ofLease / 5) then
    local aware = heard and heard + min(quiet, floor(ofLease * 2 / 5)) - log or 0
    log = log + min(passed, max(floor(ofLease / 30), aware))
elseif passed > 0 then
    log = log + (passed > quiet + floor(ofLease * 2 / 15) and quiet or passed)
end
answered = min(answered, real)
local forgotten = gap >= floor(ofLease * 2 / 3) or run ~= ofRun or replication ~= ofReplication
    or (stated ~= epoch and floor(stated / SUFFIX) >= floor(epoch / SUFFIX))

-- By birth, of those who live.
local spokeOf, idOf, alive, read = {}, {}, 0, 1
for from, id, birth, since, over, to in gmatch(sessions, SESSION) do
    if from ~= read then
        break
    end
    read = to
    if over + 0 > log then
        alive = alive + 1
        spokeOf[birth], idOf[birth] = since + 0, id
    end
end
if read ~= #sessions + 1 or not known then
    known, mine, sessions, stored, spokeOf, idOf, alive = false, nil, '', {}, {}, {}, 0
    epoch, epochText, log, answered, learnt, births, cursor, ofLease = 0, '0', 0, real, 0, 0, '0', lease
end

local refused = ofLease ~= lease and alive > 0
if not refused then
    ofForm = form
end
if not known or forgotten or (ofLease ~= lease and not refused) then
    ofLease = refused and ofLease or lease
    local seed = run .. ' ' .. replication .. ' ' .. realText .. ' ' .. me .. ' ' .. ARGV[4]
    local suffix = tonumber(sub(redis.sha1hex(seed), 1, 6), 16)
    epoch = (max(floor(epoch / SUFFIX), floor(stated / SUFFIX)) + 1) * SUFFIX + suffix
    epochText = format('%.0f', epoch)
    ofRun, ofReplication = run, replication
    learnt = max(learnt, log + ofLease)
    births = known and births or suffix -- so that what is left from before isn't taken for somebody's
end
local now, learning, silence = log .. '', learnt > log, floor(ofLease * 4 / 15)

-- ---- writing

local sets, removed = {}, {}

local function leave()
    sets[#sets + 1] = '!'
    sets[#sets + 1] = ofForm .. ' ' .. epochText .. ' ' .. now .. ' ' .. realText .. ' ' .. answered .. ' ' .. learnt .. ' '
        .. ofLease .. ' ' .. births .. ' ' .. cursor .. ' ' .. ofRun .. ' ' .. ofReplication
    if #removed > 0 then
        for from = 1, #removed, 4000 do -- as many as a call surely has room for
            call('HDEL', key, unpack(removed, from, min(from + 3999, #removed)))
        end
    end
    for from = 1, #sets, 4000 do
        call('HSET', key, unpack(sets, from, min(from + 3999, #sets)))
    end
end

local kind
if refused then
    kind = 'REFUSED'
elseif mine and ends <= log or not mine and ARGV[1] ~= 'OPEN' then
    kind = 'GONE'
elseif mine and sequence <= said then
    kind = 'STALE'
end
if kind then
    local function shown(millis)
        return millis % 1000 == 0 and millis / 1000 .. 's' or millis .. 'ms'
    end
    leave()
    return { kind, head(0), refused and 'lease ' .. shown(lease) .. ', cluster has ' .. shown(ofLease) or nil }
end

-- ---- hints: those that are kept, by session, and those to tell others now

-- Each list has its resources in their order, and each of them as a key.
local function unpacked(text)
    local list, from = {}, 1
    while from <= #text do
        local size, start = match(text, '^(%d+):()', from)
        if not size or start + size > #text + 1 then
            return {}
        end
        from = start + size
        local resource = sub(text, start, from - 1)
        list[#list + 1] = resource
        list[resource] = true
    end
    return list
end

local kept, told, toldTo = stored[3] and { [me] = unpacked(stored[3]) } or { [me] = {} }, {}, {}

local function hint(session, resource)
    local list = kept[session]
    if not list then
        list = unpacked(call('HGET', key, 'h:' .. session) or '')
        kept[session] = list
    end
    if #list < MOST_HINTS and not list[resource] then
        list[#list + 1] = resource
        list[resource] = true
    end
    if session ~= me then
        if not told[session] then
            told[session] = {}
            toldTo[#toldTo + 1] = session
        end
        local some = told[session]
        some[#some + 1] = resource
    end
end

-- Ends sessions, and has all others ask again for what they lack.
local function finish(isOver)
    local left, some = {}, false
    for from, id, _, _, over, to in gmatch(sessions, SESSION) do
        if isOver(id, over) then
            some = true
            removed[#removed + 1] = 's:' .. id
            removed[#removed + 1] = 'h:' .. id
        else
            left[#left + 1] = sub(sessions, from, to - 1)
        end
    end
    if some then
        sessions, alive = table.concat(left), 0
        for _, id, _, _, over in gmatch(sessions, SESSION) do
            if over + 0 > log then
                alive = alive + 1
                hint(id, UNMET)
            end
        end
    end
end

local function granted(grants)
    if stored[3] then
        removed[#removed + 1] = 'h:' .. me
    end
    sets[#sets + 1] = 'n'
    sets[#sets + 1] = sessions
    local denied = false
    if #toldTo > 0 then
        local function packed(list)
            local parts = {}
            for i = 1, #list do
                parts[i] = #list[i] .. ':' .. list[i]
            end
            return table.concat(parts)
        end
        for _, session in ipairs(toldTo) do
            sets[#sets + 1] = 'h:' .. session
            sets[#sets + 1] = packed(kept[session])
        end
        leave()
        for _, session in ipairs(toldTo) do
            local sent = redis.pcall('PUBLISH', key .. ':' .. session, packed(told[session]))
            denied = denied or type(sent) == 'table'
        end
    else
        leave()
    end
    return { 'OK', head(heartbeat and alive or 0, denied), grants, unpack(kept[me]) }
end

if ARGV[1] == 'CLOSE' then
    kept[me] = {}
    finish(function(id)
        return id == me
    end)
    return granted('')
end

-- ---- the session goes on

if mine then
    sessions = sub(sessions, 1, mine - 1) .. sub(sessions, behind)
else
    alive, births = alive + 1, births + 1
    born = births .. ''
    sets[1], sets[2] = 's:' .. me, ARGV[10]
end
spokeOf[born], idOf[born] = log, me
sessions = me .. ' ' .. born .. ' ' .. now .. ' ' .. log + ofLease .. ' ' .. ARGV[4] .. ' ' .. realText .. ';' .. sessions

local function isForgotten(text, from)
    local _, _, _, _, fell = match(text, STAMPS, from)
    return log - (tonumber(fell or '') or NEVER) >= PLACE
end

if heartbeat then
    finish(function(_, over)
        return over + 0 <= log
    end)
    -- Drops fields in which nobody has or wants some, and what is left of sessions that are over.
    local page, live = call('HSCAN', key, cursor, 'COUNT', SWEEP), {}
    for _, id in pairs(idOf) do
        live[id] = true
    end
    cursor = page[1]
    for i = 1, #page[2], 2 do
        local field, text = page[2][i], page[2][i + 1]
        local of = sub(field, 1, 2)
        local used = true
        if of == 'g:' then
            used = false
            for from, birth, has, want in gmatch(text, ENTRY) do
                used = used or spokeOf[birth] and (has ~= '0' or want ~= '0' or not isForgotten(text, from))
            end
        elseif of == 's:' or of == 'h:' then
            used = live[sub(field, 3)]
        end
        if not used then
            removed[#removed + 1] = field
        end
    end
end

-- ---- demands

-- Those who claim some of a resource, by their place: birth, where its text begins, what it has and needs. The last is me.
local size, limit = 0, 0
local bornAs, froms, having, needing = {}, {}, {}, {}

-- What divides where not everybody can have what it needs, or somebody else lacks some. It returns how much I get, how much I
-- am to keep after my turn, how much of that is left, and who was hinted.
local function contention()
    local pause = min(500, floor(ofLease / 30))
    local names, keeping, speaking, waiting, getting, hinting = {}, {}, {}, {}, {}, {}
    local fair, later = {}, {} -- how much each is to have now, and after its turn

    local function longestWaiting(a, b)
        if waiting[a] ~= waiting[b] then
            return waiting[a] < waiting[b]
        end
        return names[a] < names[b]
    end

    local function lastGranted(a, b)
        if getting[a] ~= getting[b] then
            return getting[a] > getting[b]
        end
        return names[a] < names[b]
    end

    local function lacks(i)
        return max(0, fair[i] - having[i])
    end

    local function shareAll()
        for i = 1, size do
            fair[i], later[i] = needing[i], needing[i]
        end
    end

    local function shareScarce()
        local left, open, level = limit, size, nil
        repeat
            local before = open
            level, open = floor(left / before), 0
            left = limit
            for i = 1, size do
                if needing[i] <= level then
                    left = left - needing[i]
                else
                    open = open + 1
                end
            end
        until open == before
        local rest, waiters, holders = left % open, {}, {}
        for i = 1, size do
            if needing[i] <= level then
                fair[i], later[i] = needing[i], needing[i]
            elseif having[i] > level then
                holders[#holders + 1] = i
            else
                waiters[#waiters + 1] = i
            end
        end
        table.sort(waiters, longestWaiting)
        table.sort(holders, lastGranted)
        local inTurn = 0
        while inTurn < #holders and log - getting[holders[inTurn + 1]] < TURN do
            inTurn = inTurn + 1
        end
        for place, i in ipairs(waiters) do
            fair[i] = inTurn + place <= rest and level + 1 or level
            later[i] = fair[i]
        end
        for place, i in ipairs(holders) do
            later[i] = #waiters + place <= rest and level + 1 or level
            fair[i] = place > inTurn and later[i] or place <= rest and level + 1 or level
        end
    end

    -- Hints at it: for whom there is some, who is to give some back, who may need less than it said.
    local function hintOthers(resource, free)
        local offered, hinted = {}, nil
        if free > 0 then
            local line = {}
            for i = 1, size do
                if lacks(i) > 0 then
                    line[#line + 1] = i
                end
            end
            table.sort(line, longestWaiting)
            for _, i in ipairs(line) do
                offered[i] = free > 0
                free = free - lacks(i)
            end
        end
        local lacking = needing[size] > having[size]
        for i = 1, size - 1 do
            local asked = min(having[i], later[i]) < keeping[i]
            local maybeOver = lacking and having[i] > 0 and log - speaking[i] >= pause
            if log - hinting[i] >= pause and (offered[i] or asked or maybeOver) then
                hint(names[i], resource)
                hinted = hinted or {}
                hinted[bornAs[i]] = true
            end
        end
        return hinted
    end

    return function(resource, text, since, got, scarce)
        local share, free = scarce and shareScarce or shareAll, limit
        for i = 1, size do
            free = free - having[i]
            names[i] = idOf[bornAs[i]]
            if i < size then
                local keep, spoken, began, gained, _, hinted = match(text, STAMPS, froms[i])
                keeping[i], speaking[i] = (keep or 0) + 0, tonumber(spoken or '') or NEVER
                waiting[i], getting[i] = tonumber(began or '') or NEVER, tonumber(gained or '') or NEVER
                hinting[i] = tonumber(hinted or '') or NEVER
            end
        end
        waiting[size], getting[size] = tonumber(since) or NEVER, tonumber(got) or NEVER

        share()
        local left = free
        for i = 1, size - 1 do
            if fair[i] > having[i] and longestWaiting(i, size) then
                left = left - lacks(i)
            end
        end
        local gets = max(0, min(lacks(size), left))
        if gets > 0 then
            having[size], waiting[size], getting[size] = having[size] + gets, log, log
            free = free - gets
            share()
        end
        local hinted = hintOthers(resource, free)
        local keep = min(having[size], later[size])
        local turn = min(having[size], fair[size]) > keep and getting[size] + TURN - log or 0
        return gets, keep, turn, hinted
    end
end
local contend

-- The texts of all others, without those that are over, and with the stamps of those that were hinted.
local function rewritten(text, hinted)
    local parts = {}
    for from, birth, has, want, _, to in gmatch(text, ENTRY) do
        local isEmpty = has == '0' and want == '0'
        if birth ~= born and spokeOf[birth] and not (isEmpty and isForgotten(text, from)) then
            local part = sub(text, from, to - 1)
            parts[#parts + 1] = hinted and hinted[birth] and match(part, '^.* ') .. now .. ';' or part
        end
    end
    return table.concat(parts)
end

local grants = {}
for i = FIRST, #ARGV, EACH do
    local place = (i - FIRST) / EACH + 1
    local resource, statedHas, statedWant, ofMine = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 4]
    local has, want, spare = statedHas + 0, statedWant + 0, ARGV[i + 3] + 0
    local text = stored[3 + place] or ''

    local some = kept[me] -- who speaks of it needs no hint at it
    for j = some[resource] and #some or 0, 1, -1 do
        if some[j] == resource then
            table.remove(some, j)
        end
    end

    local ownFrom, ownTo, ownHas, ownWant = nil, nil, 0, 0
    local total, needed, least, others, unmet, read = 0, 0, math.huge, '', false, 1
    size = 0
    for from, birth, h, w, l, to in gmatch(text, ENTRY) do
        if from ~= read then
            break
        end
        read = to
        local since = spokeOf[birth]
        h, w, l = h + 0, w + 0, l + 0
        if birth == born then
            ownFrom, ownTo, ownHas, ownWant = from, to, h, w
        elseif since and (h > 0 or w > 0) then
            size = size + 1
            if log - since >= silence and h < w then
                w = h
            end
            bornAs[size], froms[size], having[size], needing[size] = birth, from, h, w
            total, needed = total + h, needed + w
            unmet = unmet or w > h
            if l < least then
                least = l
            end
        else
            others = nil -- to be looked at again
        end
    end
    if read ~= #text + 1 then
        text, size, ownFrom, ownHas, ownWant = '', 0, nil, 0, 0
        total, needed, least, others, unmet = 0, 0, math.huge, '', false
    end

    limit = size == 0 and ofMine + 0 or least
    if has > 0 or want > 0 then
        limit = min(limit, ofMine + 0)
    end
    local need = min(want, limit)
    if needed + need > limit then
        needed, unmet = 0, false
        for j = 1, size do
            needing[j] = min(needing[j], limit)
            needed = needed + needing[j]
            unmet = unmet or needing[j] > having[j]
        end
    end

    local since, got, fell = '-', '-', '-'
    if ownFrom then
        local _, _, a, b, c = match(text, STAMPS, ownFrom)
        if c then
            since, got, fell = a, b, c
        end
    end
    local waits, waited = want > has, ownWant > ownHas
    if has < ownHas or (waits and not waited and log - (tonumber(fell) or NEVER) >= PLACE) then
        since = now
    end
    if has > ownHas then
        got = now
    end
    if waits then
        fell = '-'
    elseif waited then
        fell = now
    end

    local isClaimed = size > 0
    local gets, keep, turn, hinted = 0, has, 0, nil
    if not learning then
        local free, lack = limit - total - has, max(0, need - has)
        if not unmet and lack <= free then
            gets = lack + max(0, min(need + spare - max(has, need), free - lack - size - 1))
            keep = has + gets
        else
            size = size + 1
            bornAs[size], having[size], needing[size] = born, has, need
            contend = contend or contention()
            gets, keep, turn, hinted = contend(resource, text, since, got, needed + need > limit)
        end
    end
    local counted = statedHas
    if gets > 0 then
        counted, since, got = has + gets, now, now
    end

    if hinted or not others then
        others = rewritten(text, hinted)
    elseif ownFrom then
        others = sub(text, 1, ownFrom - 1) .. sub(text, ownTo)
    else
        others = text
    end
    local isMine = has + gets > 0 or want > 0
    if isMine or log - (tonumber(fell) or NEVER) < PLACE then
        others = born .. ' ' .. counted .. ' ' .. statedWant .. ' ' .. ofMine .. ' ' .. keep .. ' ' .. now .. ' '
            .. since .. ' ' .. got .. ' ' .. fell .. ' -;' .. others
    end
    if isClaimed or isMine then -- else there is no line to have a place in
        sets[#sets + 1] = resource
        sets[#sets + 1] = others
    elseif text ~= '' then
        removed[#removed + 1] = resource
    end
    grants[place] = counted .. ' ' .. keep .. ' ' .. turn .. ' ' .. limit
end
return granted(table.concat(grants, ' '))
