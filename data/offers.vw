shared 'visit1 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit2 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit3 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit4 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit5 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit6 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit7 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit8 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit9 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit10 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit11 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit12 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit13 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit14 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit15 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit16 |visit morning
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit17 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit18 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit19 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit20 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit21 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit22 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit23 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit24 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit25 |visit morning
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit26 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit27 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit28 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit29 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit30 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit31 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit32 |visit evening
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit33 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit34 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit35 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit36 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit37 |visit evening
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit38 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit39 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit40 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit41 |visit morning
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit42 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit43 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit44 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit45 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit46 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit47 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit48 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit49 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit50 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit51 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit52 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit53 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit54 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit55 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit56 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit57 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit58 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit59 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit60 |visit morning
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit61 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit62 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit63 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit64 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit65 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit66 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit67 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit68 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit69 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit70 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit71 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit72 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit73 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit74 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit75 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit76 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit77 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit78 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit79 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit80 |visit evening
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit81 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit82 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit83 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit84 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit85 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit86 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit87 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit88 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit89 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit90 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit91 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit92 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit93 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit94 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit95 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit96 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit97 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit98 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit99 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit100 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit101 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit102 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit103 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit104 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit105 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit106 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit107 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit108 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit109 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit110 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit111 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit112 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit113 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit114 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit115 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit116 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit117 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit118 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit119 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit120 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit121 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit122 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit123 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit124 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit125 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit126 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit127 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit128 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit129 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit130 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit131 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit132 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit133 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit134 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit135 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit136 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit137 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit138 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit139 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit140 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit141 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit142 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit143 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit144 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit145 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit146 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit147 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit148 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit149 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit150 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit151 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit152 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit153 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit154 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit155 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit156 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit157 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit158 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit159 |visit noon
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit160 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit161 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit162 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit163 |visit morning
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit164 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit165 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit166 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit167 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit168 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit169 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit170 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit171 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit172 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit173 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit174 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit175 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit176 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit177 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit178 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit179 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit180 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit181 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit182 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit183 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit184 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit185 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit186 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit187 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit188 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit189 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit190 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit191 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit192 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit193 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit194 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit195 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit196 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit197 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit198 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit199 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit200 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit201 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit202 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit203 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit204 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit205 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit206 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit207 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit208 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit209 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit210 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit211 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit212 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit213 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit214 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit215 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit216 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit217 |visit morning
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit218 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit219 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit220 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit221 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit222 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit223 |visit evening
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit224 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit225 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit226 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit227 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit228 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit229 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit230 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit231 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit232 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit233 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit234 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit235 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit236 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit237 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit238 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit239 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit240 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit241 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit242 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit243 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit244 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit245 |visit evening
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit246 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit247 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit248 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit249 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit250 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit251 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit252 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit253 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit254 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit255 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit256 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit257 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit258 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit259 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit260 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit261 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit262 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit263 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit264 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit265 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit266 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit267 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit268 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit269 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit270 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit271 |visit morning
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit272 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit273 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit274 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit275 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit276 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit277 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit278 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit279 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit280 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit281 |visit noon
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit282 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit283 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit284 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit285 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit286 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit287 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit288 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit289 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit290 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit291 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit292 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit293 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit294 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit295 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit296 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit297 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit298 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit299 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit300 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit301 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit302 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit303 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit304 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit305 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit306 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit307 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit308 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit309 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit310 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit311 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit312 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit313 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit314 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit315 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit316 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit317 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit318 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit319 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit320 |visit evening
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit321 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit322 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit323 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit324 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit325 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit326 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit327 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit328 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit329 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit330 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit331 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit332 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit333 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit334 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit335 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit336 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit337 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit338 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit339 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit340 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit341 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit342 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit343 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit344 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit345 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit346 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit347 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit348 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit349 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit350 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit351 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit352 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit353 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit354 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit355 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit356 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit357 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit358 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit359 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit360 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit361 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit362 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit363 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit364 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit365 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit366 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit367 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit368 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit369 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit370 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit371 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit372 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit373 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit374 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit375 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit376 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit377 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit378 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit379 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit380 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit381 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit382 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit383 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit384 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit385 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit386 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit387 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit388 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit389 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit390 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit391 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit392 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit393 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit394 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit395 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit396 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit397 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit398 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit399 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit400 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit401 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit402 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit403 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit404 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit405 |visit noon
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit406 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit407 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit408 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit409 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit410 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit411 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit412 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit413 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit414 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit415 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit416 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit417 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit418 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit419 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit420 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit421 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit422 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit423 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit424 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit425 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit426 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit427 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit428 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit429 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit430 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit431 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit432 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit433 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit434 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit435 |visit morning
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit436 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit437 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit438 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit439 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit440 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit441 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit442 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit443 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit444 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit445 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit446 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit447 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit448 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit449 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit450 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit451 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit452 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit453 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit454 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit455 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit456 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit457 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit458 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit459 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit460 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit461 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit462 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit463 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit464 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit465 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit466 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit467 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit468 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit469 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit470 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit471 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit472 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit473 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit474 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit475 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit476 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit477 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit478 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit479 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit480 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit481 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit482 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit483 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit484 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit485 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit486 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit487 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit488 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit489 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit490 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit491 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit492 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit493 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit494 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit495 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit496 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit497 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit498 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit499 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit500 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit501 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit502 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit503 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit504 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit505 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit506 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit507 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit508 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit509 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit510 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit511 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit512 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit513 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit514 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit515 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit516 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit517 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit518 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit519 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit520 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit521 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit522 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit523 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit524 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit525 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit526 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit527 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit528 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit529 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit530 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit531 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit532 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit533 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit534 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit535 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit536 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit537 |visit evening
|offer coffee
|offer soup
|offer tea
3:-1:0.2 |offer wine

shared 'visit538 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit539 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit540 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit541 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit542 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit543 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit544 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit545 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit546 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit547 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit548 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit549 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit550 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit551 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit552 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit553 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit554 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit555 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit556 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit557 |visit noon
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit558 |visit noon
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit559 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit560 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit561 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit562 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit563 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit564 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit565 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit566 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit567 |visit morning
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit568 |visit morning
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit569 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit570 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit571 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit572 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit573 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit574 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit575 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit576 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit577 |visit evening
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit578 |visit noon
|offer coffee
1:0:0.2 |offer soup
|offer tea
|offer wine

shared 'visit579 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit580 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit581 |visit morning
|offer coffee
|offer soup
2:-1:0.2 |offer tea
|offer wine

shared 'visit582 |visit noon
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit583 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit584 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit585 |visit evening
|offer coffee
|offer soup
2:0:0.2 |offer tea
|offer wine

shared 'visit586 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit587 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit588 |visit noon
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit589 |visit evening
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit590 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit591 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit592 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit593 |visit morning
0:-1:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit594 |visit evening
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

shared 'visit595 |visit morning
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit596 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit597 |visit evening
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit598 |visit noon
0:0:0.4 |offer coffee
|offer soup
|offer tea
|offer wine

shared 'visit599 |visit noon
|offer coffee
1:-1:0.2 |offer soup
|offer tea
|offer wine

shared 'visit600 |visit morning
|offer coffee
|offer soup
|offer tea
3:0:0.2 |offer wine

